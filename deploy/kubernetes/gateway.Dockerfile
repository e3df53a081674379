# The launcher and its class path, as one build leaves them; also for `waterwheel status` and all other commands.
FROM eclipse-temurin:17-jre
ENV WATERWHEEL_NO_BUILD=yes
COPY waterwheel /opt/waterwheel/waterwheel
COPY deploy/embedded/target/lib /opt/waterwheel/deploy/embedded/target/lib
COPY deploy/embedded/target/waterwheel-embedded-*.jar /opt/waterwheel/deploy/embedded/target/
USER 1000
ENTRYPOINT ["/opt/waterwheel/waterwheel"]
