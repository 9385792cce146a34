#!/bin/sh
# `make release`: checks that the version of package.json can be released, and prints the commands that release it. Changes nothing.
# `scripts/release.sh notes` prints the section of CHANGELOG.md for that version. ROOT names another repository, for the tests.
cd "${ROOT:-$(dirname "$0")/..}" || exit 1
json_version() { sed -n 's/.*"version": "\([^"]*\)".*/\1/p' "$1" | head -n 1; }
version=$(json_version package.json)

# section NAME: the lines below its heading, without empty ones around them.
section() {
  awk -v "start=## [$1]" '/^## /{ inside = index($0, start) == 1; next } inside' CHANGELOG.md | sed -e '/./,$!d' | cat -s
}

if [ "${1:-}" = notes ]; then
  notes=$(section "$version")
  [ -n "$notes" ] || { echo "CHANGELOG.md has no entries for version $version. Add a section \"## [$version] - <date>\"." >&2; exit 1; }
  printf '%s\n' "$notes"
  exit 0
fi

problems=''
problem() { problems="$problems
- $1"; }
same() { [ "$2" = "$version" ] || problem "package.json has version $version, but $1 has ${2:-none}. Make them equal."; }

branch=$(git branch --show-current)
[ "$branch" = main ] || problem "The current branch is ${branch:-none}. Releases are made on main: git switch main"
changes=$(git status --porcelain)
[ -z "$changes" ] || problem "The working tree has changes. Commit or remove them:
$changes"
same package-lock.json "$(json_version package-lock.json)"
same 'version in charts/tearsheet/Chart.yaml' "$(sed -n 's/^version: "\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' charts/tearsheet/Chart.yaml)"
same 'appVersion in charts/tearsheet/Chart.yaml' "$(sed -n 's/^appVersion: "\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' charts/tearsheet/Chart.yaml)"
same clients/typescript/package.json "$(json_version clients/typescript/package.json)"
same clients/python/pyproject.toml "$(sed -n 's/^version = "\(.*\)"$/\1/p' clients/python/pyproject.toml)"
grep -Eq "^## \[$version\] - [0-9]{4}-[0-9]{2}-[0-9]{2}\$" CHANGELOG.md ||
  problem "CHANGELOG.md has no heading \"## [$version] - <date>\". Add it."
[ -n "$(section "$version")" ] || problem "CHANGELOG.md describes no changes of $version. Describe them."
[ -z "$(section Unreleased)" ] || problem "CHANGELOG.md has entries under Unreleased. Move them to the section for $version."
tags=$(git tag --list "v$version")
# A tag may exist only in the remote repository.
if git remote | grep -qx origin; then
  remote=$(timeout 30 git ls-remote --tags origin "refs/tags/v$version") ||
    problem "git could not list the tags of origin, so v$version may be taken."
  tags=$tags$remote
fi
[ -z "$tags" ] || problem "The tag v$version already exists. Raise the version in package.json and Chart.yaml."
# The upgrade test begins at the last release; before the first one, at any commit that the file names.
last=$(git tag --list 'v[0-9]*' --sort=-version:refname | grep -vx "v$version" | head -n 1)
[ -z "$last" ] || [ "$(git rev-list -n 1 "$last")" = "$(cat test/e2e/previousVersion 2>/dev/null)" ] ||
  problem "test/e2e/previousVersion does not name the commit of $last, so the upgrade from the last release is not tested: git rev-list -n 1 $last > test/e2e/previousVersion"

if [ -n "$problems" ]; then
  echo "Version $version cannot be released yet:$problems" >&2
  exit 1
fi
cat <<END
Version $version can be released.

A release is a tag on main. When the tag arrives, .github/workflows/release.yml
1. runs the checks and the tests of that commit, also those on a cluster,
2. builds the image, pushes it as tearsheet:$version, scans it for vulnerabilities and signs it,
3. packages the chart and pushes it as charts/tearsheet, version $version,
4. generates the clients, and publishes them as @tearsheet/client on npm and tearsheet-client on PyPI,
5. creates the GitHub release with the section of CHANGELOG.md as its notes.

Before you tag, run the tests that need minutes on the workflow's machines, to see them fail here first:

    make verify && make e2e

Then release:

    git tag -a v$version -m 'Tearsheet $version'
    git push origin main v$version

If step 4 fails, for example because the registries do not know the workflow yet, publish the clients from this commit.
NODE_AUTH_TOKEN and UV_PUBLISH_TOKEN are tokens of npm and PyPI:

    make publish-npm REPOSITORY=https://github.com/OWNER/NAME
    make publish-pypi REPOSITORY=https://github.com/OWNER/NAME
END
