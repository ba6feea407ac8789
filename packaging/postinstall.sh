#!/bin/sh
# Runs after the installation or upgrade of a .deb or .rpm.
set -e
systemd-sysusers indexerd.conf
systemd-tmpfiles --create indexerd.conf
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart indexerd.service
fi
