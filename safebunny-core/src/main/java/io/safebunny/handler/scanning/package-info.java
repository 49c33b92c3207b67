// SPDX-License-Identifier: Apache-2.0
/** Finds and checks the methods of handlers and sagas at start-up; what is found is called without per-message reflection. */
@NullMarked
package io.safebunny.handler.scanning;

import org.jspecify.annotations.NullMarked;
