// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of applications: {@link io.safebunny.test.BunnyTest} starts one without a broker and in virtual time, and {@link
 * io.safebunny.test.BunnyHarness} publishes to it, lets time pass, and tells what happened.
 */
@NullMarked
package io.safebunny.test;

import org.jspecify.annotations.NullMarked;
