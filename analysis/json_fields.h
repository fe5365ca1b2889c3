// SPDX-License-Identifier: GPL-2.0-or-later

// Plain structs to JSON and back, from one list of fields: a struct has a static
// fields(visitor, self) that names each of them once. Unknown values (an empty optional,
// text, list or map) are left out of the JSON, so that nobody reads them as 0.

#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rtsweep {

class FieldWriter;
class FieldReader;

template <typename T>
concept HasFields = requires(FieldReader& reader, T& self) {
  T::fields(reader, self);
};

template <typename T>
nlohmann::json json_of_fields(const T& value);
template <typename T>
T value_of_json(const nlohmann::json& json);

class FieldWriter {
 public:
  explicit FieldWriter(nlohmann::json& json) : json_(json) {}

  template <typename T>
  void operator()(const char* name, const T& value) {
    nlohmann::json written = write(value);
    if (!written.is_null()) json_[name] = std::move(written);
  }

 private:
  template <typename T>
  static nlohmann::json write(const std::optional<T>& value) {
    return value ? json_of_fields(*value) : nlohmann::json();
  }
  static nlohmann::json write(const std::string& value) {
    return value.empty() ? nlohmann::json() : nlohmann::json(value);
  }
  template <typename T>
  static nlohmann::json write(const T& value) {
    nlohmann::json json = json_of_fields(value);
    return json.is_structured() && json.empty() ? nlohmann::json() : json;
  }

  nlohmann::json& json_;
};

// Throws nlohmann::json::exception where the JSON has another type than the field.
class FieldReader {
 public:
  explicit FieldReader(const nlohmann::json& json) : json_(json) {}

  template <typename T>
  void operator()(const char* name, std::optional<T>& value) {
    if (json_.contains(name)) value = value_of_json<T>(json_.at(name));
  }
  template <typename T>
  void operator()(const char* name, T& value) {
    if (json_.contains(name)) value = value_of_json<T>(json_.at(name));
  }

 private:
  const nlohmann::json& json_;
};

namespace json_fields_detail {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

template <typename T>
struct IsMap : std::false_type {};
template <typename Key, typename T>
struct IsMap<std::map<Key, T>> : std::true_type {};

inline std::string key_text(int key) { return std::to_string(key); }
inline std::string key_text(const std::string& key) { return key; }

template <typename Key>
Key key_of(const std::string& text) {
  if constexpr (std::is_same_v<Key, int>) {
    return nlohmann::json::parse(text).template get<int>();
  } else {
    return text;
  }
}

}  // namespace json_fields_detail

template <typename T>
nlohmann::json json_of_fields(const T& value) {
  using namespace json_fields_detail;
  if constexpr (HasFields<T>) {
    nlohmann::json json = nlohmann::json::object();
    FieldWriter writer(json);
    T::fields(writer, value);
    return json;
  } else if constexpr (IsVector<T>::value) {
    nlohmann::json json = nlohmann::json::array();
    for (const auto& element : value) json.push_back(json_of_fields(element));
    return json;
  } else if constexpr (IsMap<T>::value) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [key, element] : value) json[key_text(key)] = json_of_fields(element);
    return json;
  } else {
    return value;
  }
}

template <typename T>
T value_of_json(const nlohmann::json& json) {
  using namespace json_fields_detail;
  if constexpr (HasFields<T>) {
    T value;
    FieldReader reader(json);
    T::fields(reader, value);
    return value;
  } else if constexpr (IsVector<T>::value) {
    T values;
    for (const auto& element : json) {
      values.push_back(value_of_json<typename T::value_type>(element));
    }
    return values;
  } else if constexpr (IsMap<T>::value) {
    T values;
    for (const auto& [key, element] : json.items()) {
      values[key_of<typename T::key_type>(key)] = value_of_json<typename T::mapped_type>(element);
    }
    return values;
  } else {
    return json.get<T>();
  }
}

}  // namespace rtsweep
