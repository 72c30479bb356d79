# SPDX-License-Identifier: Apache-2.0
# LSM Lab in a container: docker build -t lsm-lab . && docker run --rm -p 127.0.0.1:8888:8888 lsm-lab
# The first stage is what a devcontainer needs; the project itself is then mounted into it.
FROM eclipse-temurin:25.0.3_9-jdk-noble AS tools
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 python3-venv git procps \
  && rm -rf /var/lib/apt/lists/*
USER ubuntu
RUN mkdir -p /home/ubuntu/lsm-lab
WORKDIR /home/ubuntu/lsm-lab

FROM tools
COPY --chown=ubuntu:ubuntu . .
RUN scripts/lab setup
EXPOSE 8888
CMD ["scripts/lab", "--no-browser", "--port", "8888", "--ip", "0.0.0.0"]
