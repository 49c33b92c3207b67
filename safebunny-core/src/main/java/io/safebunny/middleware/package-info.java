// SPDX-License-Identifier: Apache-2.0
/** The user's steps around the handling and the publishing of messages. */
@NullMarked
package io.safebunny.middleware;

import org.jspecify.annotations.NullMarked;
