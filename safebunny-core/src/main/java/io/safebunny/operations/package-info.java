// SPDX-License-Identifier: Apache-2.0
/** Operations on all instances of a node: stored, and announced to the instances that run. Nothing here handles messages. */
@NullMarked
package io.safebunny.operations;

import org.jspecify.annotations.NullMarked;
