// SPDX-License-Identifier: Apache-2.0
/** Consumes queues at the pace that is asked for, and has what they deliver handled by worker threads, each delivery once. */
@NullMarked
package io.safebunny.rabbit.consume;

import org.jspecify.annotations.NullMarked;
