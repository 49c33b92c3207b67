// SPDX-License-Identifier: Apache-2.0
/**
 * Tells the story of an id: finds what this node knows, and puts it into an order and into words. Reads only, and decides nothing. What is
 * found is a value, so that telling needs nothing else.
 */
@NullMarked
package io.safebunny.story.telling;

import org.jspecify.annotations.NullMarked;
