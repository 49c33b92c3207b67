// SPDX-License-Identifier: Apache-2.0
/**
 * What nodes tell each other of an id: which part of a story may leave a node, how it is written and read, how it is cut to the size of a
 * reply, and which parts of several instances are kept. What is read may be forged: it has bounds, and all its texts are printable.
 */
@NullMarked
package io.safebunny.story.exchange;

import org.jspecify.annotations.NullMarked;
