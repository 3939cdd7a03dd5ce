# The image has the program, the certificates of public authorities and a home, and
# nothing else. goreleaser builds it; $TARGETPLATFORM is where it puts the program.
FROM --platform=$BUILDPLATFORM gcr.io/distroless/static-debian12:nonroot AS base

FROM scratch
ARG TARGETPLATFORM
COPY --from=base /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=base --chown=65532:65532 /home/nonroot /home/nonroot
COPY $TARGETPLATFORM/kdrain-tui /usr/bin/kdrain-tui
ENV HOME=/home/nonroot
USER 65532:65532
ENTRYPOINT ["/usr/bin/kdrain-tui"]
