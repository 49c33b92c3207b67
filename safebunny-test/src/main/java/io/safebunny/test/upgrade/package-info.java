// SPDX-License-Identifier: Apache-2.0
/**
 * Checks before a deploy: does the new version of an application read what the running one has stored, and the other way round? Nothing here
 * handles a message.
 */
@NullMarked
package io.safebunny.test.upgrade;

import org.jspecify.annotations.NullMarked;
