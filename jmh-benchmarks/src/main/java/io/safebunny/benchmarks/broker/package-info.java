// SPDX-License-Identifier: Apache-2.0
/** The broker that contenders talk to, and nodes without Spring Boot. */
@NullMarked
package io.safebunny.benchmarks.broker;

import org.jspecify.annotations.NullMarked;
