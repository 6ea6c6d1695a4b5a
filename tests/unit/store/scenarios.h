/* The scenarios that pass on every back end. A new one is a line here and a function in one of
 * the files below. */
#include "scenarios_bulk.h"
#include "scenarios_events.h"
#include "scenarios_find.h"
#include "scenarios_reader.h"
#include "scenarios_records.h"
#include "scenarios_pending.h"
#include "scenarios_worklists.h"
#include "scenarios_writer.h"
#include "scenarios_living.h"

/* clang-format off */
#define SCENARIO_MAP(XX)                                                    \
    XX(what_is_committed_is_there_and_what_is_rolled_back_is_not)           \
    XX(a_rollback_undoes_every_kind_of_row)                                 \
    XX(rows_that_are_there_already_or_not_at_all_are_refused)               \
    XX(a_conflict_that_a_read_meets_is_not_committed)                       \
    XX(numbers_go_on_from_the_highest_one)                                  \
    XX(definitions_are_found_by_version_number_and_content)                 \
    XX(a_business_key_leads_to_the_live_instance_only)                      \
    XX(living_instances_are_counted_over_all_versions)                      \
    XX(a_purge_takes_instances_that_are_named)                              \
    XX(keys_are_bytes)                                                      \
    XX(large_blobs_come_back_whole)                                         \
    XX(timers_come_in_order_strictly_after_the_cursor)                      \
    XX(recovery_finds_instances_with_jobs_by_id)                            \
    XX(all_ids_with_jobs_come_at_once_and_in_order)                         \
    XX(an_instance_knows_the_priority_of_its_definition)                    \
    XX(an_instance_is_loaded_with_its_own_definition)                       \
    XX(the_number_of_a_definition_that_was_rolled_back_can_be_anothers)     \
    XX(pending_starts_come_oldest_first)                                    \
    XX(pending_starts_come_strictly_after_the_cursor)                       \
    XX(an_answer_is_remembered_by_its_key)                                  \
    XX(a_purge_takes_what_ended_long_ago_and_all_that_hangs_on_it)          \
    XX(failed_instances_have_an_age_of_their_own_and_leave_no_subscription) \
    XX(a_purge_removes_no_more_than_it_may_of_all_kinds_together)           \
    XX(a_purge_that_is_rolled_back_removes_nothing)                         \
    XX(space_is_released_in_steps_and_reclaimed)                            \
    XX(space_is_reclaimed_also_if_the_store_cannot_shrink)                  \
    XX(a_reader_sees_what_is_committed_and_nothing_else)                    \
    XX(history_comes_oldest_first_from_any_revision)                        \
    XX(history_comes_newest_first_from_any_place_and_time)                  \
    XX(a_long_history_is_walked_back_in_parts)                              \
    XX(answers_of_a_reader_can_be_bounded)                                  \
    XX(history_can_come_before_the_row_it_belongs_to)                       \
    XX(a_reader_in_another_thread_never_sees_half_a_commit)                 \
    XX(lists_obey_every_filter_cursor_and_page)                             \
    XX(a_cursor_walks_a_list_once_while_new_ones_arrive)                    \
    XX(statistics_count_what_is_there)                                      \
    XX(definitions_are_listed_by_id_with_their_latest_version)              \
    XX(the_latest_version_is_the_newest_of_the_highest_rank)                \
    XX(tasks_obey_every_filter_and_cursor)                                  \
    XX(versions_that_take_an_event_are_found_by_source_and_type)            \
    XX(a_newer_version_of_a_lower_rank_is_not_the_latest_that_takes_events) \
    XX(subscribers_come_by_correlation_strictly_after_the_cursor)           \
    XX(a_correlation_key_is_bytes_and_is_changed_in_one_step)               \
    XX(children_are_found_by_their_parents_job_and_listed_in_order)         \
    XX(a_purge_leaves_children_and_takes_their_parents_rows)                \
    XX(a_purge_leaves_what_has_ended_and_still_goes_on)                     \
    XX(unmatched_events_come_newest_first_in_pages)                         \
    XX(unmatched_events_are_purged_and_their_numbers_do_not_come_back)      \
    XX(an_unmatched_event_is_found_and_removed_by_its_number)               \
    XX(runs_are_found_newest_first_by_phase_and_definition)                 \
    XX(runs_with_tasks_are_found_once_and_counted)                          \
    XX(runs_are_found_by_the_beginning_of_their_keys)                       \
    XX(failures_come_by_definition_and_instance_strictly_after_the_cursor)  \
    XX(failures_of_a_definition_come_from_the_newest_if_asked)              \
    XX(a_failure_is_replaced_and_goes_with_its_instance)                    \
    XX(candidates_come_oldest_first_by_status_and_definition)               \
    XX(a_bulk_moves_with_its_results_and_ends)                              \
    XX(worklists_obey_every_filter_and_cursor)                              \
    XX(a_task_is_found_by_its_visit)                                        \
    XX(records_are_found_replaced_and_removed_by_kind_and_key)              \
    XX(records_come_by_prefix_in_byte_order_strictly_after_the_cursor)      \
    XX(records_are_purged_by_kind_and_age)                                  \
    XX(bulks_that_ended_are_purged_by_age_and_number)
/* clang-format on */
