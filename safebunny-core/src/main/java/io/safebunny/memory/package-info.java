// SPDX-License-Identifier: Apache-2.0
/** A transport and a message store in memory, for tests and demos. Their content is lost when the process ends. */
@NullMarked
package io.safebunny.memory;

import org.jspecify.annotations.NullMarked;
