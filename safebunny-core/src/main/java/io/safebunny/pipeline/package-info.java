// SPDX-License-Identifier: Apache-2.0
/** The engine that runs middlewares in order, in both directions, and the bean scope of one message. */
@NullMarked
package io.safebunny.pipeline;

import org.jspecify.annotations.NullMarked;
