// SPDX-License-Identifier: Apache-2.0
/**
 * The internals of the test kit: a broker, clocks and threads in virtual time, and a journal of what happens to messages. Tests use {@code
 * io.safebunny.test}.
 */
@NullMarked
package io.safebunny.test.harness;

import org.jspecify.annotations.NullMarked;
