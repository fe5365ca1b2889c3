// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/apt_settings.h"

#include <fmt/format.h>

namespace rtsweep {

std::string apt_sources(const ArchiveSettings& settings, const std::string& suite) {
  const auto line = [&](const std::string& url, const std::string& release) {
    return fmt::format("deb [signed-by={}] {} {} main\n", settings.keyring.string(), url, release);
  };
  const size_t dash = suite.find('-');
  if (dash == std::string::npos) return line(settings.mirror, suite);
  const bool security = suite.substr(dash) == "-security";
  return line(settings.mirror, suite.substr(0, dash)) +
         line(settings.mirror + (security ? "-security" : ""), suite);
}

std::string apt_conf(const std::filesystem::path& directory, const std::string& suite,
                     const std::string& arch) {
  return fmt::format(R"(Dir::State "{0}";
Dir::State::status "{0}/status";
Dir::Cache "{0}/cache";
Dir::Etc::sourcelist "{0}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Architecture "{2}";
#clear APT::Architectures;
APT::Architectures {{ "{2}"; }};
APT::Default-Release "{1}";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Acquire::Retries "2";
)",
                     directory.string(), suite, arch);
}

}  // namespace rtsweep
