// SPDX-License-Identifier: Apache-2.0
/** Finds and checks the methods of handlers and sagas at start-up, and calls them without per-message reflection. */
@NullMarked
package io.safebunny.handler;

import org.jspecify.annotations.NullMarked;
