// SPDX-License-Identifier: Apache-2.0
/**
 * Tells the story of an id: puts what nodes know into an order and into words, with what helps. Reads only. What is found is a value, so
 * that telling needs nothing else.
 */
@NullMarked
package io.safebunny.story.telling;

import org.jspecify.annotations.NullMarked;
