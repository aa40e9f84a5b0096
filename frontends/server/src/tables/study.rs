//! Answers one person's questions about a deal that is over, while the table plays on.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use troel_protocol::commands::Request;
use troel_protocol::private_table;
use troel_protocol::{Message, Table, TableError};

use crate::services::Services;

/// Maximum number of one person's questions that wait for an answer.
const MAX_WAITING_QUESTIONS: usize = 4;

/// A task that answers a person's questions, one after the other. It ends when it is dropped.
pub(super) struct Study {
    questions: mpsc::Sender<Request>,
    task: AbortHandle,
}

impl Study {
    /// Starts a task that answers questions about a copy of the table and sends them to a page.
    pub(super) fn begin(
        services: &Arc<Services>,
        client: IpAddr,
        copy: Table,
        page: mpsc::Sender<String>,
    ) -> Study {
        let (questions, asked) = mpsc::channel(MAX_WAITING_QUESTIONS);
        let answers = answer(Arc::clone(services), client, copy, asked, page);
        Study { questions, task: tokio::spawn(answers).abort_handle() }
    }

    /// Returns whether the task still takes questions.
    pub(super) fn is_running(&self) -> bool {
        !self.questions.is_closed()
    }

    /// Passes a question to the task.
    ///
    /// # Errors
    /// Too many questions wait.
    pub(super) fn ask(&self, question: Request) -> Result<(), TableError> {
        let asked = self.questions.try_send(question);
        asked.map_err(|_| {
            TableError::CannotAnswer(
                "too many questions are waiting: ask again after the next answer".into(),
            )
        })
    }
}

impl Drop for Study {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers questions until their sender is dropped or the page is gone.
async fn answer(
    services: Arc<Services>,
    client: IpAddr,
    copy: Table,
    mut questions: mpsc::Receiver<Request>,
    page: mpsc::Sender<String>,
) {
    let mut copy = Some(copy);
    while let Some(question) = questions.recv().await {
        let (provider, command_type) = (Arc::clone(&services), question.command_type.clone());
        let slot = services.compute.reserve(client).await;
        let answered = slot
            .run_on(copy, move |copy| private_table::execute(copy, question, provider.as_ref()));
        let (left, answer) = answered.await;
        copy = left;
        let refused = || Message::refused(&command_type, &TableError::Internal);
        let message = answer.map_or_else(refused, |answer| answer.message);
        if page.send(message.to_string()).await.is_err() {
            return;
        }
    }
}
