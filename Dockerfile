# Builds the same image as scripts/image, with Docker, Podman or buildah:
#
#   scripts/image && docker build -t postern .
#
# scripts/image puts the files into dist/image-root, so that nothing is downloaded or run here. It also writes the
# finished image to dist/image, without this file.
FROM scratch
ARG TARGETARCH=amd64
COPY dist/image-root/${TARGETARCH}/ /
COPY --chown=65532:65532 dist/image-root/${TARGETARCH}/data/ /data/
LABEL org.opencontainers.image.title="Postern" \
      org.opencontainers.image.description="Email inboxes for tests, programs and agents." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.vendor="Postern"
ENV PATH=/ \
    POSTERN_HTTP_LISTEN=0.0.0.0:8025 \
    POSTERN_SMTP_LISTEN=0.0.0.0:1025 \
    POSTERN_TRAP_NETWORKS=10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7 \
    POSTERN_WITHOUT_ACCOUNTS=defer \
    POSTERN_LOG=pretty
WORKDIR /
VOLUME /data
EXPOSE 1025 8025
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["/postern", "ready"]
ENTRYPOINT ["/postern"]
CMD ["capture"]
