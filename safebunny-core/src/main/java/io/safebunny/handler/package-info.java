// SPDX-License-Identifier: Apache-2.0
/** Finds {@code @BunnyHandler} methods at start-up and calls them without per-message reflection. */
@NullMarked
package io.safebunny.handler;

import org.jspecify.annotations.NullMarked;
