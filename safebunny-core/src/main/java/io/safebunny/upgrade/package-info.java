// SPDX-License-Identifier: Apache-2.0
/**
 * Takes a sample of what a node has stored, masked, with which the next version of its application is checked before it is deployed: does
 * that read it? Bounded, and says what it leaves out. Nothing here changes anything.
 */
@NullMarked
package io.safebunny.upgrade;

import org.jspecify.annotations.NullMarked;
