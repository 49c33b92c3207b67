// SPDX-License-Identifier: Apache-2.0
/** What operators do to all instances of a node: it is told to those that run and stored for those that do not; nothing here handles messages. */
@NullMarked
package io.safebunny.operating;

import org.jspecify.annotations.NullMarked;
