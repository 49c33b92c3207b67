// SPDX-License-Identifier: Apache-2.0
/**
 * Turns incidents into tests: gathers what the store and the poison queue have of a saga or a message that failed, masks it, and writes the
 * source of a test that fails in the same way. Nothing here changes anything.
 */
@NullMarked
package io.safebunny.incident;

import org.jspecify.annotations.NullMarked;
