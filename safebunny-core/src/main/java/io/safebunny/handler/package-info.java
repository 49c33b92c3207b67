// SPDX-License-Identifier: Apache-2.0
/** Definitions of handlers and sagas: whose messages they take, how they are retried, and how they are called. */
@NullMarked
package io.safebunny.handler;

import org.jspecify.annotations.NullMarked;
