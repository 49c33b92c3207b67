// SPDX-License-Identifier: Apache-2.0
/** Handlers and sagas as they were found: whom they hear, how they are retried, and how they are called. Finds none itself. */
@NullMarked
package io.safebunny.handler;

import org.jspecify.annotations.NullMarked;
