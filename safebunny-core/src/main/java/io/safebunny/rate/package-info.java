// SPDX-License-Identifier: Apache-2.0
/**
 * How many messages of a type may begin to be handled in a time, and the schedule by which the instances of a node share that. Values and pure
 * rules.
 */
@NullMarked
package io.safebunny.rate;

import org.jspecify.annotations.NullMarked;
