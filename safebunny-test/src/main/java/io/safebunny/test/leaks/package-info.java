// SPDX-License-Identifier: Apache-2.0
/** Checks that tests leave no threads or other countable things behind. */
@NullMarked
package io.safebunny.test.leaks;

import org.jspecify.annotations.NullMarked;
