// SPDX-License-Identifier: Apache-2.0
/** Time that stands still until a test moves it. */
@NullMarked
package io.safebunny.test.time;

import org.jspecify.annotations.NullMarked;
