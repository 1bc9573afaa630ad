# `make` lists the targets. The scripts do the work and can be run alone.

.DEFAULT_GOAL := help
.PHONY: help build demo demo-sso packages rpms image check test test-packages bench pictures format clean

swift_sources := Sources Tests Examples Benchmarks Package.swift

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[a-z ]* ## /\1	/p' Makefile | expand -t 15

build: ## build the server, the command line and the example app, for debugging
	@scripts/bootstrap build
	swift build --product lanyard
	swift build --product quizzler

demo: ## start Lanyard with a sample school, and Quizzler, an app that reads its classes
	@scripts/bootstrap build
	@scripts/build-demo
	@exec .build/debug/lanyard demo

demo-sso: ## play single sign-on: one sign-in for a browser and a native program
	@scripts/bootstrap demo-sso
	@scripts/build-demo sso
	@exec .build/debug/lanyard sso demo

packages: ## make the packages for Debian, in .build/packages, and check them
	@scripts/bootstrap packages
	scripts/build-packages
	lintian --fail-on error,warning --tag-display-limit 0 .build/packages/*.deb

rpms: packages ## make .rpm packages, in .build/rpms, of what the packages for Debian have
	scripts/build-rpms

image: packages ## make the image of a container, in .build/image, of the package for servers
	scripts/build-image

check: ## look at format and arrows, and compile everything without a warning
	@scripts/bootstrap check
	@scripts/check

test: ## check, and run all tests, on SQLite and PostgreSQL, with a real browser
	@scripts/test

test-packages: ## make the packages, install them on a bare Debian, start what is in them, and purge them
	@scripts/bootstrap test
	@$(MAKE) packages
	scripts/test-packages

bench: ## measure the paths that have to scale, beside a yardstick for each
	@scripts/bootstrap bench
	swift build --configuration release --product lanyard
	swift build --configuration release --product match-benchmark
	swift build --configuration release --product storage-benchmark
	swift build --configuration release --product hummingbird-benchmark
	swift build --configuration release --product lanyard-broker
	swift build --configuration release --product sso-test-extension
	swift build --configuration release --product lanyard-sso
	swift build --configuration release --product lanyard-kerberos
	scripts/build-device
	@scripts/with-postgres .venv-bench/bin/python Benchmarks/run.py

pictures: ## make the pictures in docs/images anew, from the running demos
	@scripts/bootstrap test
	@scripts/build-demo
	@scripts/build-demo sso
	.venv/bin/python Tests/EndToEnd/pictures.py

format: ## format the Swift sources
	swift format --in-place --recursive $(swift_sources)

clean: ## remove everything that was built; data of the demo stays
	rm -rf .build .venv .venv-bench
