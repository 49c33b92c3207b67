// SPDX-License-Identifier: Apache-2.0
/** Consumes queues at the requested pace, and hands each delivery to a worker thread once. */
@NullMarked
package io.safebunny.rabbit.consume;

import org.jspecify.annotations.NullMarked;
