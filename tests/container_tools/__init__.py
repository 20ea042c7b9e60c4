"""What packaging/ says about containers, done without a container daemon.

services   what the files for compose and Kubernetes say of a container: its command, its variables, its health, its time to end
image      the Dockerfile: its stages, and their steps in the root of a fresh Debian
root       a process that sees such a root as a container does: process 1, a user without rights, nothing to write to but its volume
machine    the containers of a fleet as plain processes of this machine
fleet      the crawl of a fleet: stopped, started again, ended, merged
site       the small site that it crawls
"""
