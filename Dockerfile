# The image holds the compiled server and what it needs at run time, nothing else:
#   docker build -t zonewright .
#   docker run -p 53:53/udp -p 53:53/tcp -p 9001:9001 -v zonewright:/data zonewright
# For DNS over TLS also -p 853:853, a volume with the certificate, and the three settings.
# It runs with a read-only root file system (--read-only) and without further privileges
# (--cap-drop=ALL --cap-add=NET_BIND_SERVICE).

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts/ scripts/
COPY src/ src/
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
# Port 53 is privileged; the capability goes to the one program here instead of the whole container running as root.
RUN apt-get update \
  && apt-get install -y --no-install-recommends libcap2-bin \
  && setcap cap_net_bind_service=+ep /usr/local/bin/node \
  && apt-get purge -y --auto-remove libcap2-bin \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 0700 /data /backups
WORKDIR /app
COPY --from=dependencies /app/node_modules/ node_modules/
COPY --from=build /app/dist/ dist/
COPY package.json LICENSE ./

# Inside a container loopback reaches nobody; which of these ports the world sees is decided by who runs it.
ENV ZONEWRIGHT_DATA_DIR=/data \
  ZONEWRIGHT_API_LISTEN=0.0.0.0:9001 \
  ZONEWRIGHT_DNS_LISTEN=0.0.0.0:53 \
  MALLOC_MMAP_THRESHOLD_=131072
VOLUME /data
EXPOSE 53/udp 53/tcp 853/tcp 9001/tcp

# By number, so that a cluster can see that it is not root.
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://' + process.env.ZONEWRIGHT_API_LISTEN + '/healthz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "dist/main.js"]
