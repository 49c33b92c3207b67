// SPDX-License-Identifier: Apache-2.0
/** The broker of a test in virtual time, in memory or real. */
@NullMarked
package io.safebunny.test.harness.broker;

import org.jspecify.annotations.NullMarked;
