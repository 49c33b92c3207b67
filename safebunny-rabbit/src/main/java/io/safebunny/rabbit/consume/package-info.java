// SPDX-License-Identifier: Apache-2.0
/** Consumes queues at the requested pace and hands their deliveries to worker threads, each once. */
@NullMarked
package io.safebunny.rabbit.consume;

import org.jspecify.annotations.NullMarked;
