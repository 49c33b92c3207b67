// SPDX-License-Identifier: Apache-2.0
/**
 * SPI of the claim check: bodies that are kept in a store of their own, while their messages carry references to them. A reference is only
 * good for the message that it was made for.
 */
@NullMarked
package io.safebunny.bodies;

import org.jspecify.annotations.NullMarked;
