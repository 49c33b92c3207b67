// SPDX-License-Identifier: Apache-2.0
/** Application code around the handling and publishing of messages. It sees messages and may stop them, but never settles them. */
@NullMarked
package io.safebunny.middleware;

import org.jspecify.annotations.NullMarked;
