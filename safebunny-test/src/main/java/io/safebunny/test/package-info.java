// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of applications: {@link io.safebunny.test.BunnyTest} starts an application without a broker and in virtual time; {@link
 * io.safebunny.test.BunnyHarness} publishes to it, lets time pass, and reports what happened.
 */
@NullMarked
package io.safebunny.test;

import org.jspecify.annotations.NullMarked;
