// SPDX-License-Identifier: Apache-2.0
/**
 * Finds what this node knows of an id: in its records, sagas, outbox and scheduled messages, and at its breakers. Reads only; says where it
 * has not looked, and why.
 */
@NullMarked
package io.safebunny.story.search;

import org.jspecify.annotations.NullMarked;
