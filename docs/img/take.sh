#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# docs/img/take.sh REPORT.html OUT.png [HEIGHT]: the upper part of an HTML report as a
# picture, 1280 pixels wide, for the README and docs/reading-a-report.md.
set -eu
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
  --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$profile" \
  --window-size="1280,${3:-1500}" --screenshot="$2" "file://$(realpath "$1")"
