// SPDX-License-Identifier: Apache-2.0
/** Captures what is logged during a test. */
@NullMarked
package io.safebunny.test.logs;

import org.jspecify.annotations.NullMarked;
