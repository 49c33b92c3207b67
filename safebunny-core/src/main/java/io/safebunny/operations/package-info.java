// SPDX-License-Identifier: Apache-2.0
/** What operators do to all instances of a node: the store has it, and those that run are told to read it; nothing here handles messages. */
@NullMarked
package io.safebunny.operations;

import org.jspecify.annotations.NullMarked;
