// SPDX-License-Identifier: Apache-2.0
/** Runs the nodes, in one process or one of them alone, and counts what came out. */
@NullMarked
package io.safebunny.samples.orders.demo;

import org.jspecify.annotations.NullMarked;
