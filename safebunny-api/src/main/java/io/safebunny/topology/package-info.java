// SPDX-License-Identifier: Apache-2.0
/** The exchanges, queues and bindings that a node needs, as a value computed from its subscriptions. No I/O. */
@NullMarked
package io.safebunny.topology;

import org.jspecify.annotations.NullMarked;
