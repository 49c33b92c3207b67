// SPDX-License-Identifier: Apache-2.0
/** How messages are delayed: by a ladder of queues or by the plugin, and which of them a node uses. */
@NullMarked
package io.safebunny.rabbit.delay;

import org.jspecify.annotations.NullMarked;
