#!/bin/sh
# Compiles src to dist and puts beside it what is no TypeScript (SQL, page assets) and the scripts that run in pages. The old dist stays until the new one is whole.
set -eu
cd "$(dirname "$0")/.."
echo 'build: compiling to dist/'
mkdir -p .cache && rm -rf .cache/dist
.node/bin/node node_modules/typescript/bin/tsc -p tsconfig.build.json --outDir .cache/dist
find src -type f ! -name '*.ts' | while read -r file; do
  target=.cache/dist/${file#src/}
  mkdir -p "$(dirname "$target")"
  cp "$file" "$target"
done
.node/bin/node scripts/bundlePageScripts.ts .cache/dist
chmod +x .cache/dist/cli.js
touch .cache/dist/.built
rm -rf dist
mv .cache/dist dist
