// SPDX-License-Identifier: Apache-2.0
/**
 * A broker inside the JVM with the routing, delivery and delay semantics of the real one, for tests and demos. All
 * state of one broker is guarded by one lock; handlers are called and futures completed without it. Nothing here starts
 * a thread or reads a clock.
 */
@NullMarked
package io.safebunny.transport.memory;

import org.jspecify.annotations.NullMarked;
