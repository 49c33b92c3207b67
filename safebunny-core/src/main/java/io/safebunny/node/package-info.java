// SPDX-License-Identifier: Apache-2.0
/** What one node is made of, and what it does besides handling: a value that all its features share, and the interface that they plug in by. */
@NullMarked
package io.safebunny.node;

import org.jspecify.annotations.NullMarked;
