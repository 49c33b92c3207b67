// SPDX-License-Identifier: Apache-2.0
/** Operations on all instances of a node: they are stored, and announced to the running instances. Nothing here handles messages. */
@NullMarked
package io.safebunny.operations;

import org.jspecify.annotations.NullMarked;
