// SPDX-License-Identifier: Apache-2.0
/**
 * A node publishes and others consume while brokers, networks and processes fail at random; in the end every confirmed message must
 * have been handled. Run by {@code bin/soak}, not by the build.
 */
@NullMarked
package io.safebunny.rabbit.soak;

import org.jspecify.annotations.NullMarked;
