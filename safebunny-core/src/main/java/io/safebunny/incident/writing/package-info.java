// SPDX-License-Identifier: Apache-2.0
/** Writes the source of a test from what was gathered of an incident. Knows nothing of stores and queues, and shows what it is given: masks come before. */
@NullMarked
package io.safebunny.incident.writing;

import org.jspecify.annotations.NullMarked;
